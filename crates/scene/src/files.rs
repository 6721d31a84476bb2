//! Files in and out: the one place where bytes meet the disk.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The largest file that is read into memory: far above any capture, far below any laptop.
pub const MAX_FILE_BYTES: u64 = 2 << 30;

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path is a directory.
    #[error("{}: is a directory, expected a file", .0.display())]
    IsDirectory(PathBuf),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("{}: {bytes} bytes; files above {MAX_FILE_BYTES} bytes are not read", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The system refused to read.
    #[error("{}: cannot read: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The system refused to write.
    #[error("{}: cannot write: {error}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// All bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError::Read { path: path.to_owned(), error };
    let file = std::fs::File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(FileError::IsDirectory(path.to_owned()));
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(MAX_FILE_BYTES) as usize);
    // A pipe has no length beforehand, so the cap counts what comes.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let bytes = metadata.len().max(bytes.len() as u64);
        return Err(FileError::TooLarge { path: path.to_owned(), bytes });
    }
    Ok(bytes)
}

/// Writes a whole file, or leaves what was there before: the bytes go into a file beside it, which then
/// takes its name. Folders on the way are made.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |error| FileError::Write { path: path.to_owned(), error };
    if path.is_dir() {
        return Err(FileError::IsDirectory(path.to_owned()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".randori-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A file like any other; the user's umask takes away what it should.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut beside = builder.tempfile_in(folder).map_err(failed)?;
    beside.write_all(bytes).map_err(failed)?;
    beside.persist(path).map_err(|refused| failed(refused.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn writing_replaces_the_whole_file_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/down/take.glb");
        write_atomically(&path, b"first").unwrap();
        write_atomically(&path, b"second").unwrap();
        assert_eq!(read(&path).unwrap(), b"second");
        assert_eq!(names_in(path.parent().unwrap()), ["take.glb"]);
    }

    #[test]
    fn refused_writes_leave_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(folder.path(), b"x").unwrap_err().to_string();
        assert!(error.ends_with("is a directory, expected a file"), "{error}");
        write_atomically(&folder.path().join("file"), b"").unwrap();
        let error = write_atomically(&folder.path().join("file/take.glb"), b"x").unwrap_err().to_string();
        assert!(error.contains("cannot write"), "{error}");
        assert_eq!(names_in(folder.path()), ["file"]);
    }

    #[test]
    fn unreadable_paths_are_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read(folder.path()), Err(FileError::IsDirectory(_))));
        let error = read(&folder.path().join("absent.bvh")).unwrap_err().to_string();
        assert!(error.contains("absent.bvh: cannot read"), "{error}");
    }
}
