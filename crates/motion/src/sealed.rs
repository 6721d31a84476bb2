//! The envelope of all our files: what it is, which version, and whether it arrived whole.
//!
//! Layout, little-endian: magic (8 bytes), version (u32), CRC-32 of all that follows (u32), length of the header (u32), the
//! header as JSON, then whatever the kind of file puts behind it. The body begins 16 bytes into the file: what is aligned
//! to eight bytes in it is so in the file.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// One kind of file.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    /// The first bytes of every such file.
    pub magic: &'static [u8; 8],
    /// Of its layout and of what it means; raised with every change of either.
    pub version: u32,
}

/// Why bytes are not what they were taken for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// These bytes are something else.
    #[error("something else")]
    Other,
    /// Written by a later program, or an earlier one.
    #[error("of version {found}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("{0}")]
    Damaged(String),
}

impl Broken {
    /// What is said of bytes that end before their time.
    pub fn short() -> Broken {
        Broken::Damaged("it ends too early".to_owned())
    }
}

impl Seal {
    /// Header and blocks as a file; `blocks` appends to a body that holds the header already.
    pub fn close(self, header: &impl Serialize, blocks: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let header = serde_json::to_vec(header).expect("plain numbers and names");
        let mut body = (header.len() as u32).to_le_bytes().to_vec();
        body.extend(header);
        blocks(&mut body);
        let mut bytes = Vec::with_capacity(16 + body.len());
        bytes.extend(self.magic);
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The header of a file, the whole body, and where in it the blocks begin.
    pub fn open<H: DeserializeOwned>(self, bytes: &[u8]) -> Result<(H, &[u8], usize), Broken> {
        let rest = bytes.strip_prefix(self.magic).ok_or(Broken::Other)?;
        let (version, rest) = rest.split_first_chunk().ok_or_else(Broken::short)?;
        let found = u32::from_le_bytes(*version);
        if found != self.version {
            return Err(Broken::Version { found });
        }
        let (sum, body) = rest.split_first_chunk().ok_or_else(Broken::short)?;
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(Broken::Damaged("its checksum does not fit".to_owned()));
        }
        let (length, after) = body.split_first_chunk().ok_or_else(Broken::short)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, _) = after.split_at_checked(length).ok_or_else(Broken::short)?;
        let header = serde_json::from_slice(header)
            .map_err(|error| Broken::Damaged(format!("its header: {error}")))?;
        Ok((header, body, 4 + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEAL: Seal = Seal { magic: b"randtst\x1a", version: 3 };

    #[test]
    fn what_was_closed_opens_again() {
        let bytes = SEAL.close(&vec![1, 2, 3], |body| body.extend([9, 8]));
        let (header, body, at): (Vec<i32>, _, _) = SEAL.open(&bytes).unwrap();
        assert_eq!((header, &body[at..]), (vec![1, 2, 3], &[9, 8][..]));
    }

    #[test]
    fn whatever_happened_to_a_file_is_told() {
        let bytes = SEAL.close(&vec![1, 2, 3], |body| body.extend([9, 8]));
        let open = |bytes: &[u8]| SEAL.open::<Vec<i32>>(bytes).map(|_| ()).unwrap_err();
        assert_eq!(open(b"PK"), Broken::Other);
        assert_eq!(
            Seal { version: 4, ..SEAL }.open::<Vec<i32>>(&bytes).unwrap_err(),
            Broken::Version { found: 3 }
        );
        for cut in 8..bytes.len() {
            assert!(matches!(open(&bytes[..cut]), Broken::Damaged(_)), "cut at {cut}");
        }
        for at in 12..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(matches!(open(&changed), Broken::Damaged(_)), "changed at {at}");
        }
    }
}
