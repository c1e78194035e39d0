//! A server of the world `mcp-wasm:server`: test/guests/README.md tells what it does.

use std::cell::RefCell;

use exports::mcp_wasm::server::{prompts, resources, tools};
use serde_json::{Value, json};

wit_bindgen::generate!({ path: "../../wit/mcp-wasm-server.wit", world: "server" });

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[derive(Default)]
struct Seen {
    client: Option<VersionInfo>,
    capabilities: Capabilities,
    notifications: Vec<(String, Option<String>)>,
    calls: u32,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

struct Server;
export!(Server);

impl Guest for Server {
    fn initialize(client: VersionInfo, capabilities: Capabilities) -> (VersionInfo, Capabilities) {
        SEEN.with_borrow_mut(|seen| {
            seen.client = Some(client);
            seen.capabilities = capabilities;
        });
        let own = VersionInfo {
            name: "guest".into(),
            version: "1.0.0".into(),
        };
        let offers = [
            ("tools", true),
            ("prompts", true),
            ("resources", true),
            ("resources/subscribe", false),
        ];
        (
            own,
            offers.map(|(name, has)| (name.to_string(), has)).into(),
        )
    }

    fn notify(name: String, params: Option<String>) {
        SEEN.with_borrow_mut(|seen| seen.notifications.push((name, params)));
    }
}

impl tools::Guest for Server {
    fn get_list() -> Vec<tools::Tool> {
        let string = json!({ "type": "string" });
        let integer = json!({ "type": "integer" });
        [
            ("echo", "Gives a text back", json!({ "text": string })),
            ("image", "Gives a picture of one pixel", json!({})),
            ("resource", "Gives a resource", json!({})),
            (
                "add",
                "Adds two integers",
                json!({ "a": integer, "b": integer }),
            ),
            ("count", "Counts the calls of this instance", json!({})),
            ("seen", "Tells the client and its notifications", json!({})),
            ("fail", "Traps", json!({ "message": string })),
            ("spin", "Never ends", json!({})),
            ("hog", "Allocates memory", json!({ "mib": integer })),
            ("flood", "Gives a long text", json!({ "bytes": integer })),
            (
                "print",
                "Prints a text, and to stderr too",
                json!({ "text": string }),
            ),
        ]
        .map(|(name, description, properties)| {
            let required: Vec<_> = properties.as_object().unwrap().keys().collect();
            let schema =
                json!({ "type": "object", "properties": properties, "required": required });
            tools::Tool {
                name: name.into(),
                description: description.into(),
                input_schema: schema.to_string(),
            }
        })
        .into()
    }

    fn call(tool_name: String, params: String) -> tools::Response {
        let count = SEEN.with_borrow_mut(|seen| {
            seen.calls += 1;
            seen.calls
        });
        let given: Value = serde_json::from_str(&params).expect("arguments are JSON");
        let text = |key: &str| given[key].as_str().expect(key).to_string();
        let integer = |key: &str| given[key].as_i64().expect(key);
        tools::Response::TextResponse(match tool_name.as_str() {
            "echo" => text("text"),
            "image" => {
                return tools::Response::Image(tools::Image {
                    data: PIXEL.into(),
                    mime_type: "image/png".into(),
                });
            }
            "resource" => {
                return tools::Response::Resource(tools::EmbeddedResource {
                    uri: "guest://text".into(),
                    mime_type: "text/plain".into(),
                    text: "embedded".into(),
                });
            }
            "add" => (integer("a") + integer("b")).to_string(),
            "count" => count.to_string(),
            "seen" => seen().to_string(),
            "fail" => panic!("{}", text("message")),
            "spin" => loop {
                std::hint::black_box(0);
            },
            "hog" => hog(integer("mib") as usize).to_string(),
            "flood" => "x".repeat(integer("bytes") as usize),
            "print" => {
                println!("{}", text("text"));
                eprintln!("{}", text("text"));
                "printed".into()
            }
            name => panic!("no such tool: {name}"),
        })
    }
}

fn seen() -> Value {
    SEEN.with_borrow(|seen| {
        let client = seen.client.as_ref();
        json!({
            "client": client.map(|client| json!({ "name": client.name, "version": client.version })),
            "capabilities": seen.capabilities.iter()
                .map(|(name, has)| (name.clone(), json!(has)))
                .collect::<serde_json::Map<_, _>>(),
            "notifications": seen.notifications.iter()
                .map(|(name, params)| json!({ "name": name, "params": params }))
                .collect::<Vec<_>>(),
        })
    })
}

/// Allocates so many MiB, each of them touched; gives their number.
fn hog(mib: usize) -> usize {
    let blocks: Vec<_> = (0..mib).map(|_| vec![1u8; 1 << 20]).collect();
    std::hint::black_box(&blocks).len()
}

impl prompts::Guest for Server {
    fn get_list() -> Vec<prompts::Prompt> {
        vec![
            prompts::Prompt {
                name: "greet".into(),
                description: Some("Greets a person".into()),
                arguments: vec![
                    prompts::Argument {
                        name: "name".into(),
                        description: Some("Of the person".into()),
                        required: Some(true),
                    },
                    prompts::Argument {
                        name: "tone".into(),
                        description: None,
                        required: None,
                    },
                ],
            },
            prompts::Prompt {
                name: "plain".into(),
                description: None,
                arguments: vec![],
            },
        ]
    }
}

impl resources::Guest for Server {
    fn list() -> Result<Vec<resources::ResourceInfo>, resources::Error> {
        Ok(vec![
            resources::ResourceInfo {
                uri: "guest://text".into(),
                name: "text".into(),
                description: Some("A text".into()),
                mime_type: Some("text/plain".into()),
            },
            resources::ResourceInfo {
                uri: "guest://blob".into(),
                name: "blob".into(),
                description: None,
                mime_type: None,
            },
        ])
    }

    fn read(uri: String) -> Result<Vec<resources::Resource>, resources::Error> {
        let (mime_type, content) = match uri.as_str() {
            "guest://text" => (
                Some("text/plain".into()),
                resources::Content::Text("a text".into()),
            ),
            "guest://blob" => (None, resources::Content::Blob("AAEC/w==".into())),
            _ => {
                return Err(resources::Error {
                    code: 4,
                    message: format!("no resource {uri}"),
                    data: Some(json!({ "uri": uri }).to_string()),
                });
            }
        };
        Ok(vec![resources::Resource {
            uri,
            mime_type,
            content,
        }])
    }
}
