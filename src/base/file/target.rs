//! Where may be written: below a top folder, by its real path, and never over what is not a regular file.
//! A person can link a whole top folder to another place; a link below it that leads out is refused, for
//! what is behind it is not ours.

use super::{create_folder, parent, real_path, regular};
use crate::base::exit::{Exit, Failure};
use std::io;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

/// A top folder, links resolved. It need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

/// A file that may be written: absent or regular, links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(PathBuf);

impl Deref for Target {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Root {
    /// The real path of a top folder.
    pub fn new(folder: &Path) -> Self {
        Self(real_path(&std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())))
    }

    /// A file below the root; status 65 when it leads out, through itself or a folder above it.
    pub fn file(&self, name: impl AsRef<Path>) -> Result<Target, Failure> {
        let path = self.0.join(name);
        self.holds(&path, &real_path(parent(&path)))?;
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Target(path)),
            Err(error) => Err(Failure::io(path.display(), &error)),
            Ok(data) if data.is_symlink() => {
                // What a link without a target would lead to cannot be told.
                let nowhere = |error| Failure::io(format!("'{}' is a link", path.display()), &error);
                let real = path.canonicalize().map_err(|error| Failure { exit: Exit::Data, ..nowhere(error) })?;
                self.holds(&path, &real)?;
                regular(&path, real.metadata().map_err(|error| Failure::io(path.display(), &error))?.file_type())?;
                Ok(Target(real))
            }
            Ok(data) => regular(&path, data.file_type()).map(|()| Target(path)),
        }
    }

    /// A folder below the root, which need not exist; status 65 when it leads out.
    pub fn inside(&self, name: impl AsRef<Path>) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        self.holds(&path, &real_path(&path)).map(|()| path)
    }

    /// The same, and it is created with those above it, 0700.
    pub fn folder(&self, name: impl AsRef<Path>) -> Result<PathBuf, Failure> {
        let path = self.inside(name)?;
        create_folder(&path).map(|()| path)
    }

    fn holds(&self, path: &Path, real: &Path) -> Result<(), Failure> {
        // Where a folder is missing, what `..` leads to cannot be told.
        let climbs = real.components().any(|part| part == Component::ParentDir);
        if real.starts_with(&self.0) && !climbs {
            return Ok(());
        }
        let (path, real, root) = (path.display(), real.display(), self.0.display());
        Err(Failure::data(format!("{path} is behind a link that leads out of '{root}', to '{real}': remove the link")))
    }
}

impl Target {
    /// A file that its user named, wherever it is: a link is followed; status 65 for what is not a regular
    /// file. tests/house.rs lists who may do this.
    pub fn named(path: &Path) -> Result<Self, Failure> {
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::io(path.display(), &error)),
            Ok(data) => regular(path, data.file_type())?,
        }
        if !path.is_symlink() {
            return Ok(Self(path.to_path_buf()));
        }
        let behind = path.read_link().map_err(|error| Failure::io(path.display(), &error))?;
        Ok(Self(path.canonicalize().unwrap_or_else(|_| parent(path).join(behind))))
    }
}
