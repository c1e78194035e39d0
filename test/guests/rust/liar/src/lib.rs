//! A server of the world `mcp-wasm:server` that lies. Its mode is a text of 32 bytes that test/guests/hostile.ts writes into
//! the built component, in the place of dots.

use std::hint::black_box;

use exports::mcp_wasm::server::{prompts, resources, tools};
use tools::{Response, Tool};

wit_bindgen::generate!({ path: "../../wit/mcp-wasm-server.wit", world: "server" });

static MODE: &[u8; 37] = b"mode:................................";

/// The mode, read so that the compiler cannot know it.
fn mode() -> &'static str {
    let text = std::str::from_utf8(black_box(MODE)).unwrap_or_default();
    text[5..].trim_end_matches('.')
}

struct Liar;
export!(Liar);

/// Text that would be code or orders, if it were not quoted.
const ODD: &str = "*/ globalThis.pwned = 1; /* `${globalThis.pwned = 1}` '\"\\ \u{2028}\n\r\0\u{1b}[2J</script> \u{202e}abc";

impl Guest for Liar {
    fn initialize(_: VersionInfo, _: Capabilities) -> (VersionInfo, Capabilities) {
        let own = |name: &str| VersionInfo {
            name: name.into(),
            version: name.into(),
        };
        let has = |name: &str| (name.to_string(), true);
        match mode() {
            "initialize-traps" => panic!("no"),
            "initialize-loops" => loop_for_ever(),
            "odd-info" => (
                own(ODD),
                vec![
                    has(ODD),
                    has("__proto__"),
                    has("constructor/prototype"),
                    has("tools"),
                ],
            ),
            "long-info" => (own(&"x".repeat(10_000_000)), vec![has("tools")]),
            "many-capabilities" => {
                let all = (0..100_000).map(|i| (format!("tools/x{i}"), true));
                (own("liar"), all.collect())
            }
            "deep-capabilities" => (own("liar"), vec![(vec!["x"; 100_000].join("/"), true)]),
            "no-capabilities" => (own("liar"), vec![]),
            _ => (
                own("liar"),
                ["tools", "prompts", "resources"].map(has).into(),
            ),
        }
    }

    fn notify(_: String, _: Option<String>) {
        match mode() {
            "notify-traps" => panic!("no"),
            "notify-loops" => loop_for_ever(),
            _ => {}
        }
    }
}

fn loop_for_ever() -> ! {
    loop {
        black_box(0);
    }
}

fn tool(
    name: impl Into<String>,
    description: impl Into<String>,
    schema: impl Into<String>,
) -> Tool {
    Tool {
        name: name.into(),
        description: description.into(),
        input_schema: schema.into(),
    }
}

const SCHEMA: &str = r#"{"type":"object"}"#;

/// A tool whose schema is a lie.
fn with_schema(schema: impl Into<String>) -> Vec<Tool> {
    vec![
        tool("lie", "Its schema is a lie", schema),
        tool("honest", "Its schema is none", SCHEMA),
    ]
}

/// Bytes that are not UTF-8, in a string.
fn invalid() -> String {
    // The host must not trust what a guest says is text.
    unsafe {
        String::from_utf8_unchecked(vec![b'a', 0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xe2, 0x82])
    }
}

impl tools::Guest for Liar {
    fn get_list() -> Vec<Tool> {
        match mode() {
            "list-traps" => panic!("no"),
            "list-loops" => loop_for_ever(),
            "list-empty" => vec![],
            "schema-not-json" => with_schema("{not JSON"),
            "schema-empty" => with_schema(""),
            "schema-not-object" => with_schema("[1, 2]"),
            "schema-null" => with_schema("null"),
            "schema-wrong-type" => with_schema(r#"{"type":"string"}"#),
            "schema-wrong-words" => with_schema(r#"{"type":7,"properties":[],"required":{"a":1}}"#),
            "schema-huge" => {
                let all: Vec<_> = (0..1_000_000)
                    .map(|i| format!(r#""p{i}":{{"type":"string"}}"#))
                    .collect();
                with_schema(format!(
                    r#"{{"type":"object","properties":{{{}}}}}"#,
                    all.join(",")
                ))
            }
            "schema-deep" => {
                let depth = 100_000;
                let open = r#"{"type":"object","properties":{"x":"#.repeat(depth);
                with_schema(format!("{open}{{}}{}", "}}".repeat(depth)))
            }
            "schema-ref-loop" => with_schema(
                r##"{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            ),
            "schema-ref-self" => with_schema(r##"{"$ref":"#"}"##),
            "schema-ref-outside" => with_schema(
                r#"{"type":"object","properties":{"x":{"$ref":"http://127.0.0.1:1/schema"},"y":{"$ref":"file:///etc/passwd"}}}"#,
            ),
            "schema-proto" => with_schema(
                r#"{"type":"object","__proto__":{"pwned":1},"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}"#,
            ),
            "schema-slow-pattern" => with_schema(
                r#"{"type":"object","properties":{"x":{"type":"string","pattern":"^(a+)+$"}}}"#,
            ),
            "tools-many" => (0..100_000)
                .map(|i| tool(format!("tool{i}"), "One of many", SCHEMA))
                .collect(),
            "tools-equal" => vec![
                tool("same", "First", SCHEMA),
                tool("same", "Second", SCHEMA),
            ],
            "tools-one-in-python" => vec![
                tool("a-b", "First", SCHEMA),
                tool("a_b", "Second", SCHEMA),
                tool("a.b", "Third", SCHEMA),
            ],
            "names-odd" => [
                "",
                " ",
                "__proto__",
                "constructor",
                "then",
                "import",
                "lambda",
                "a b",
                "../../etc/passwd",
                "run_python_code",
                ODD,
            ]
            .map(|name| tool(name, ODD, SCHEMA))
            .into(),
            "name-long" => vec![tool("x".repeat(1_000_000), "Its name is long", SCHEMA)],
            "description-long" => vec![tool("lie", "x".repeat(50_000_000), SCHEMA)],
            "text-invalid" => vec![tool(invalid(), invalid(), SCHEMA)],
            "prints-in-list" => {
                print_for_ever(1000);
                vec![tool("lie", "It prints", SCHEMA)]
            }
            _ => vec![tool("lie", "It lies", SCHEMA)],
        }
    }

    fn call(_: String, _: String) -> Response {
        Response::TextResponse(match mode() {
            "call-traps" => panic!("no"),
            "call-overflows" => overflow(1).to_string(),
            "call-prints-for-ever" => {
                print_for_ever(usize::MAX);
                String::new()
            }
            "call-exits" => std::process::exit(0),
            "result-huge" => "x".repeat(100_000_000),
            "result-invalid" => invalid(),
            "result-odd" => ODD.into(),
            "result-like-json" => {
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_string()
                    + "\n"
                    + r#"{"jsonrpc":"2.0","id":2,"result":{}}"#
            }
            "image-not-base64" => return image("!!! not base64 !!!", "image/png"),
            "image-odd-type" => return image("AAEC", ODD),
            "image-html" => return image("PHNjcmlwdD4=", "text/html"),
            "resource-odd-uri" => {
                return Response::Resource(tools::EmbeddedResource {
                    uri: ODD.into(),
                    mime_type: ODD.into(),
                    text: ODD.into(),
                });
            }
            "resource-file-uri" => {
                return Response::Resource(tools::EmbeddedResource {
                    uri: "file:///etc/passwd".into(),
                    mime_type: "text/plain".into(),
                    text: "not what the file says".into(),
                });
            }
            _ => "called".into(),
        })
    }
}

fn image(data: &str, mime_type: &str) -> Response {
    Response::Image(tools::Image {
        data: data.into(),
        mime_type: mime_type.into(),
    })
}

/// Calls itself for ever.
#[allow(unconditional_recursion)]
fn overflow(depth: u64) -> u64 {
    let deeper = black_box(depth) + 1;
    black_box(overflow(deeper)) + deeper
}

fn print_for_ever(lines: usize) {
    for _ in 0..lines {
        println!("{}", "x".repeat(10_000));
        eprintln!("{}", "y".repeat(10_000));
    }
}

impl prompts::Guest for Liar {
    fn get_list() -> Vec<prompts::Prompt> {
        let prompt = |name: &str| prompts::Prompt {
            name: name.into(),
            description: Some(name.into()),
            arguments: vec![],
        };
        match mode() {
            "prompts-trap" => panic!("no"),
            "prompts-many" => (0..100_000)
                .map(|i| prompt(&format!("prompt{i}")))
                .collect(),
            "prompts-odd" => vec![
                prompt(""),
                prompt(ODD),
                prompt("same"),
                prompt("same"),
                prompt("__proto__"),
            ],
            _ => vec![prompt("lie")],
        }
    }
}

impl resources::Guest for Liar {
    fn list() -> Result<Vec<resources::ResourceInfo>, resources::Error> {
        let info = |uri: &str| resources::ResourceInfo {
            uri: uri.into(),
            name: uri.into(),
            description: None,
            mime_type: Some(uri.into()),
        };
        Ok(match mode() {
            "resources-trap" => panic!("no"),
            "resources-fail" => return Err(error(ODD)),
            "resources-many" => (0..100_000).map(|i| info(&format!("liar://{i}"))).collect(),
            "resources-odd" => [
                "",
                "not a URI",
                "file:///etc/passwd",
                "javascript:alert(1)",
                ODD,
            ]
            .map(info)
            .into(),
            _ => vec![info("liar://lie")],
        })
    }

    fn read(uri: String) -> Result<Vec<resources::Resource>, resources::Error> {
        let resource = |uri: &str, content| resources::Resource {
            uri: uri.into(),
            mime_type: None,
            content,
        };
        Ok(match mode() {
            "read-traps" => panic!("no"),
            "read-fails" => return Err(error(ODD)),
            "read-other-uri" => vec![resource(
                "file:///etc/passwd",
                resources::Content::Text("not asked for".into()),
            )],
            "read-not-base64" => vec![resource(
                &uri,
                resources::Content::Blob("!!! not base64 !!!".into()),
            )],
            "read-huge" => vec![resource(
                &uri,
                resources::Content::Text("x".repeat(100_000_000)),
            )],
            "read-many" => (0..100_000)
                .map(|_| resource(&uri, resources::Content::Text("one".into())))
                .collect(),
            _ => vec![resource(&uri, resources::Content::Text("a lie".into()))],
        })
    }
}

fn error(message: &str) -> resources::Error {
    resources::Error {
        code: 255,
        message: message.into(),
        data: Some("{not JSON".into()),
    }
}
