//! Where may be written: below a top folder, by its real path, and never over what is not a regular file.
//! A person can link a whole top folder to another place; a link below it that leads out is refused, for
//! what is behind it is not ours. A link that is put there after that was looked at is not followed either: the
//! real path is opened without links, and what is written is named relative to the folder that is open.

use super::held::{self, Held};
use super::{parent, real_path, regular};
use crate::base::exit::{Exit, Failure};
use std::io;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

/// A top folder, links resolved. It need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

/// A file that may be written: absent or regular, links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    path: PathBuf,
    /// Its real path, on which no link may be when it is written; none for what a user named.
    real: Option<PathBuf>,
}

impl Deref for Target {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl Root {
    /// The real path of a top folder.
    pub fn new(folder: &Path) -> Self {
        Self(real_path(&std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())))
    }

    /// A top folder that was resolved when it was looked at: a link that is there now was put there since.
    pub fn real(folder: &Path) -> Self {
        Self(folder.to_path_buf())
    }

    /// A file below the root; status 65 when it leads out, through itself or a folder above it.
    pub fn file(&self, name: impl AsRef<Path>) -> Result<Target, Failure> {
        let path = self.0.join(name);
        let folder = real_path(parent(&path));
        self.holds(&path, &folder)?;
        let real = path.file_name().map(|name| folder.join(name));
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Target { path, real }),
            Err(error) => Err(Failure::io(path.display(), &error)),
            Ok(data) if data.is_symlink() => {
                // What a link without a target would lead to cannot be told.
                let nowhere = |error| Failure::io(format!("'{}' is a link", path.display()), &error);
                let real = path.canonicalize().map_err(|error| Failure { exit: Exit::Data, ..nowhere(error) })?;
                self.holds(&path, &real)?;
                regular(&path, real.metadata().map_err(Failure::at(&path))?.file_type())?;
                Ok(Target { path: real.clone(), real: Some(real) })
            }
            Ok(data) => regular(&path, data.file_type()).map(|()| Target { path, real }),
        }
    }

    /// A folder below the root, which need not exist; status 65 when it leads out.
    pub fn inside(&self, name: impl AsRef<Path>) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        self.holds(&path, &real_path(&path)).map(|()| path)
    }

    /// The same, and it is created with those above it, 0700.
    pub fn folder(&self, name: impl AsRef<Path>) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        let real = real_path(&path);
        self.holds(&path, &real)?;
        held::folder(&real, true).map_err(|error| held::refused(&path, &error))?;
        Ok(path)
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
            return Ok(Self { path: path.to_path_buf(), real: None });
        }
        let behind = path.read_link().map_err(Failure::at(path))?;
        Ok(Self { path: path.canonicalize().unwrap_or_else(|_| parent(path).join(behind)), real: None })
    }

    /// Makes its folder, if it is missing.
    pub(super) fn make_folder(&self) -> Result<(), Failure> {
        let folder = parent(self.real.as_ref().unwrap_or(&self.path));
        held::folder(folder, true).map(drop).map_err(|error| held::refused(folder, &error))
    }

    /// Its folder, open, and its name there.
    pub(super) fn held(&self) -> Result<Held, Failure> {
        self.hold().map_err(|error| held::refused(self, &error))
    }

    /// The same; none where the folder is missing.
    pub(super) fn held_if_there(&self) -> Result<Option<Held>, Failure> {
        match self.hold() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            held => held.map(Some).map_err(|error| held::refused(self, &error)),
        }
    }

    fn hold(&self) -> io::Result<Held> {
        let path = self.real.as_ref().unwrap_or(&self.path);
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let folder = if self.real.is_some() { held::folder(parent(path), false) } else { held::any(parent(path)) };
        Ok(Held { folder: folder?, name })
    }
}
