// The web socket: messages out, messages and frames in.

export class Connection extends EventTarget {
  constructor() {
    super();
    this.session = new URLSearchParams(location.search).get("session");
    this.open();
  }

  open() {
    const query = this.session ? `?session=${encodeURIComponent(this.session)}` : "";
    this.socket = new WebSocket(`ws://${location.host}/ws${query}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        const message = JSON.parse(data);
        if (message.is === "welcome") this.session = message.session;
        this.dispatchEvent(new CustomEvent(message.is, { detail: message }));
      } else {
        this.dispatchEvent(new CustomEvent("frame", { detail: data }));
      }
    };
    this.socket.onclose = () => this.dispatchEvent(new CustomEvent("closed"));
  }

  on(kind, heard) {
    this.addEventListener(kind, (event) => heard(event.detail));
  }

  ask(what, more = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: what, ...more }));
  }

  /** Sends a file that was dropped in. */
  async drop(file) {
    const query = new URLSearchParams({ session: this.session, name: file.name });
    const response = await fetch(`/upload?${query}`, { method: "POST", body: file });
    if (!response.ok) throw new Error(response.status === 413 ? "the file is too large" : await response.text());
  }
}
