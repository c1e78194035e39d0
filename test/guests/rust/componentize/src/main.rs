//! `componentize FROM TO [WIT]`: makes a component of a core module for WASI preview 1, with the doc comments of its WIT; or the
//! binary form of a file of text (`.wat`).

use std::{env, error::Error, fs};

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME as NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER as ADAPTER,
};
use wasm_encoder::{ComponentSection, CustomSection};
use wit_component::ComponentEncoder;
use wit_parser::{PackageMetadata, Resolve};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    let (from, to, wit) = match &args[..] {
        [from, to] => (from, to, None),
        [from, to, wit] => (from, to, Some(wit)),
        _ => return Err("usage: componentize FROM TO [WIT]".into()),
    };
    if from.ends_with(".wat") {
        fs::write(to, wat::parse_file(from)?)?;
        return Ok(());
    }
    let mut component = ComponentEncoder::default()
        .module(&fs::read(from)?)?
        .adapter(NAME, ADAPTER)?
        .validate(true)
        .encode()?;
    if let Some(wit) = wit {
        append_docs(&mut component, wit)?;
    }
    fs::write(to, component)?;
    Ok(())
}

/// Doc comments are no part of a component's types: tools put them into a section `package-docs`.
fn append_docs(component: &mut Vec<u8>, wit: &str) -> Result<(), Box<dyn Error>> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(wit)?;
    CustomSection {
        name: PackageMetadata::SECTION_NAME.into(),
        data: PackageMetadata::extract(&resolve, package).encode()?.into(),
    }
    .append_to_component(component);
    Ok(())
}
