//! BVH: one file for each character.

use randori_motion::Take;
use randori_motion::formats::bvh::{WriteOptions, write};

use super::ExportError;

/// The text of a BVH file for each character, with its name, in the take's order.
///
/// Each file holds the character's own clip at its own rate: BVH has no place for when somebody enters,
/// for the others, nor for props, events and colours.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Character, Clip, FrameRate, Take, formats::bvh::WriteOptions};
///
/// let body = Arc::new(Build::AVERAGE.body());
/// let poses = vec![body.skeleton.rest_pose(); 2];
/// let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
/// let mut take = Take::new("alone", 1);
/// take.characters.push(Character { name: "blue".into(), color: [0.1, 0.3, 0.8], body, enter: 0.0, clip });
/// let files = randori_scene::export::bvh(&take, &WriteOptions::default()).unwrap();
/// assert_eq!(files[0].0, "blue");
/// assert!(files[0].1.starts_with("HIERARCHY"));
/// ```
pub fn bvh(take: &Take, options: &WriteOptions) -> Result<Vec<(String, String)>, ExportError> {
    take.validate()?;
    let file = |character: &randori_motion::Character| {
        let text = write(&character.clip, options)
            .map_err(|error| ExportError::Bvh { name: character.name.clone(), error })?;
        Ok((character.name.clone(), text))
    };
    take.characters.iter().map(file).collect()
}
