// Pinocchio's dynamics of one model, each algorithm by itself, in the rows of `dynamics.py`; that script builds and
// runs this. The model is text on standard input, so that nothing compiled for another machine is linked. The states
// are those of `whole_body.rs`, the bench this is set beside. Processor time of the thread.
#include <pinocchio/fwd.hpp>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using namespace pinocchio;
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

static double microseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

template <class Run>
static void row(const char* name, int states, Run run) {
  std::vector<double> rounds;
  for (int round = 0; round < 400; ++round) {
    const double before = microseconds();
    for (int repeat = 0; repeat < 5; ++repeat)
      for (int state = 0; state < states; ++state) run(state);
    rounds.push_back((microseconds() - before) / (5 * states));
  }
  std::sort(rounds.begin(), rounds.end());
  std::printf("%-40s least %7.3f  median %7.3f us\n", name, rounds[0], rounds[rounds.size() / 2]);
}

static Model read_model() {
  Model model;
  int joints;
  std::cin >> joints;
  for (int joint = 0; joint < joints; ++joint) {
    std::string name, type;
    JointIndex parent, id;
    std::cin >> name >> parent >> type;
    // Axis, rotation, translation, mass, centre of mass, inertia about it.
    double x[3 + 9 + 3 + 1 + 3 + 9];
    for (double& number : x) std::cin >> number;
    const SE3 place(Eigen::Map<RowMajor>(x + 3), Eigen::Vector3d(x[12], x[13], x[14]));
    if (type == "JointModelFreeFlyer") {
      id = model.addJoint(parent, JointModelFreeFlyer(), place, name);
    } else if (type == "JointModelRX") {
      id = model.addJoint(parent, JointModelRX(), place, name);
    } else if (type == "JointModelRY") {
      id = model.addJoint(parent, JointModelRY(), place, name);
    } else if (type == "JointModelRZ") {
      id = model.addJoint(parent, JointModelRZ(), place, name);
    } else if (type == "JointModelRevoluteUnaligned") {
      id = model.addJoint(parent, JointModelRevoluteUnaligned(x[0], x[1], x[2]), place, name);
    } else {
      std::cerr << "joint " << name << ": no row for " << type << "\n";
      std::exit(1);
    }
    const Inertia inertia(x[15], Eigen::Vector3d(x[16], x[17], x[18]), Eigen::Map<RowMajor>(x + 19));
    model.appendBodyToJoint(id, inertia, SE3::Identity());
  }
  return model;
}

int main() {
  const Model model = read_model();
  Data data(model);
  const int states = 40;
  std::vector<Eigen::VectorXd> q, v;
  for (int state = 0; state < states; ++state) {
    Eigen::VectorXd step(model.nv), rate(model.nv);
    for (int k = 0; k < model.nv; ++k) {
      step[k] = 0.8 * std::sin(1. + k + 7. * state);
      rate[k] = std::sin(2. + k + 5. * state);
    }
    q.push_back(integrate(model, neutral(model), step));
    v.push_back(rate);
  }
  crba(model, data, q[3]);
  data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose().triangularView<Eigen::StrictlyLower>();
  nonLinearEffects(model, data, q[3], v[3]);
  std::printf("%d dofs: sum |M| %.10f, sum |nle| %.10f\n", model.nv, data.M.cwiseAbs().sum(),
              data.nle.cwiseAbs().sum());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
  row("crba", states, [&](int k) { crba(model, data, q[k]); });
  row("nonLinearEffects", states, [&](int k) { nonLinearEffects(model, data, q[k], v[k]); });
  row("rnea", states, [&](int k) { rnea(model, data, q[k], v[k], zero); });
  row("computeJointJacobians", states, [&](int k) { computeJointJacobians(model, data, q[k]); });
  row("computeJointJacobiansTimeVariation", states,
      [&](int k) { computeJointJacobiansTimeVariation(model, data, q[k], v[k]); });
}
