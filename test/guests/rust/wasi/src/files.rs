//! Files: by Rust's own library where it does no more than WASI, by WASI itself where it would resolve paths.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
};

use wasip2::filesystem::{
    preopens::get_directories,
    types::{Descriptor, DescriptorFlags, OpenFlags, PathFlags},
};

use crate::{Wasi, exports::test::wasi::files::Guest, words};

const DONE: &str = "done";

impl Guest for Wasi {
    fn read_file(path: String) -> Result<String, String> {
        fs::read(path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(words)
    }

    fn write_file(path: String, text: String) -> Result<String, String> {
        done(fs::write(path, text))
    }

    fn append_file(path: String, text: String) -> Result<String, String> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        done(file.and_then(|mut file| file.write_all(text.as_bytes())))
    }

    fn list_dir(path: String) -> Result<String, String> {
        let entries = fs::read_dir(path).map_err(words)?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<std::io::Result<Vec<_>>>().map_err(words)?;
        names.sort();
        Ok(names.join("\n"))
    }

    fn stat(path: String) -> Result<String, String> {
        let facts = fs::metadata(path).map_err(words)?;
        Ok(if facts.is_dir() {
            "folder".into()
        } else {
            format!("file {}", facts.len())
        })
    }

    fn make_dir(path: String) -> Result<String, String> {
        done(fs::create_dir(path))
    }

    fn remove_file(path: String) -> Result<String, String> {
        done(fs::remove_file(path))
    }

    fn remove_dir(path: String) -> Result<String, String> {
        done(fs::remove_dir(path))
    }

    fn rename(old: String, new: String) -> Result<String, String> {
        done(fs::rename(old, new))
    }

    fn hard_link(old: String, new: String) -> Result<String, String> {
        done(fs::hard_link(old, new))
    }

    fn symlink(target: String, path: String) -> Result<String, String> {
        let (folder, rest) = given(&path)?;
        folder.symlink_at(&target, &rest).map_err(words)?;
        Ok(DONE.into())
    }

    fn read_link(path: String) -> Result<String, String> {
        fs::read_link(path)
            .map(|target| target.to_string_lossy().into_owned())
            .map_err(words)
    }

    fn truncate(path: String, length: u64) -> Result<String, String> {
        done(
            File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_len(length)),
        )
    }

    fn preopens() -> Result<String, String> {
        let names: Vec<_> = get_directories()
            .into_iter()
            .map(|(_, name)| name)
            .collect();
        Ok(names.join("\n"))
    }

    fn open_at(preopen: u32, path: String) -> Result<String, String> {
        let folders = get_directories();
        let (folder, _) = folders.get(preopen as usize).ok_or("no such folder")?;
        let file = folder
            .open_at(
                PathFlags::SYMLINK_FOLLOW,
                &path,
                OpenFlags::empty(),
                DescriptorFlags::READ,
            )
            .map_err(words)?;
        let (bytes, _) = file.read(1 << 20, 0).map_err(words)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn done(result: std::io::Result<()>) -> Result<String, String> {
    result.map(|()| DONE.into()).map_err(words)
}

/// The given folder that a path is in, and the rest of the path.
fn given(path: &str) -> Result<(Descriptor, String), String> {
    for (folder, name) in get_directories() {
        let rest = path.strip_prefix(name.trim_end_matches('/'));
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix('/')) {
            return Ok((folder, rest.to_string()));
        }
    }
    Err("no folder is given that has this path".into())
}
