use serde_json::{Value, json};

use super::{Bridge, Print};

#[derive(Default)]
struct Printed(String);

impl Print for Printed {
    fn print(&mut self, is_error: bool, text: &str) {
        self.0.push_str(if is_error { "!" } else { "" });
        self.0.push_str(text);
    }
}

fn ask(bridge: &mut Bridge, request: Value) -> Value {
    let request = serde_json::from_value(request).unwrap();
    serde_json::to_value(bridge.take(request, &mut Printed::default())).unwrap()
}

fn run_with(code: &str, more: Value) -> Value {
    let mut request = json!({
        "type": "run", "code": code, "inputs": {}, "form": "plain", "room": null,
        "functions": ["http_request"], "environment": { "A": "1" },
        "limits": { "maxDurationMs": 60_000.0, "maxMemoryBytes": 1 << 26 },
    });
    for (name, value) in more.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

fn run(code: &str) -> Value {
    ask(&mut Bridge::default(), run_with(code, json!({})))
}

fn value_of(reply: &Value) -> Value {
    assert_eq!(reply["type"], "done", "{reply}");
    serde_json::from_str(reply["value"].as_str().unwrap()).unwrap()
}

#[test]
fn a_run_ends_with_the_value_of_its_last_expression() {
    assert_eq!(value_of(&run("6 * 7")), 42);
    assert_eq!(value_of(&run("x = 1")), Value::Null);
    assert_eq!(value_of(&run("")), Value::Null);
    assert_eq!(value_of(&run("[-2**63, 2**53]")), json!(["-9223372036854775808", "9007199254740992"]));
}

#[test]
fn a_later_run_finds_what_an_earlier_one_has_left_even_if_it_failed() {
    let mut bridge = Bridge::default();
    let failed = ask(&mut bridge, run_with("x = 40\n1 / 0", json!({})));
    assert_eq!(failed["error"]["type"], "ZeroDivisionError");
    let inputs = json!({ "inputs": { "y": 2 } });
    assert_eq!(value_of(&ask(&mut bridge, run_with("x + y", inputs))), 42);
}

#[test]
fn output_has_its_stream_and_is_kept_before_a_failure() {
    let mut printed = Printed::default();
    let code = "import sys\nprint('a', 'b')\nprint('c', file=sys.stderr)\n1/0";
    let request = serde_json::from_value(run_with(code, json!({}))).unwrap();
    let reply = serde_json::to_value(Bridge::default().take(request, &mut printed)).unwrap();
    assert_eq!(printed.0, "a b\n!c!\n");
    assert!(reply["error"]["traceback"].as_str().unwrap().starts_with("Traceback"));
}

#[test]
fn each_value_leaves_with_its_type_and_comes_back_as_it_was() {
    let values = [
        ("None", json!("None")),
        ("...", json!("Ellipsis")),
        ("True", json!({ "Bool": true })),
        ("2**53 - 1", json!({ "Int": 9_007_199_254_740_991_i64 })),
        ("2**53", json!({ "BigInt": "9007199254740992" })),
        ("-2**63", json!({ "BigInt": "-9223372036854775808" })),
        ("2**63 - 1", json!({ "BigInt": "9223372036854775807" })),
        ("-2**70", json!({ "BigInt": "-1180591620717411303424" })),
        ("1.5", json!({ "Float": 1.5 })),
        ("float('-inf')", json!({ "Float": "-Infinity" })),
        ("complex(1, 2)", json!({ "Complex": { "real": 1.0, "imag": 2.0 } })),
        ("'é\"\\n'", json!({ "String": "é\"\n" })),
        ("b'\\x00\\xff'", json!({ "Bytes": [0, 255] })),
        ("[1, []]", json!({ "List": [{ "Int": 1 }, { "List": [] }] })),
        ("(1,)", json!({ "Tuple": [{ "Int": 1 }] })),
        ("{1}", json!({ "Set": [{ "Int": 1 }] })),
        ("frozenset({1})", json!({ "FrozenSet": [{ "Int": 1 }] })),
        ("{(1,): 'a'}", json!({ "Dict": [[{ "Tuple": [{ "Int": 1 }] }, { "String": "a" }]] })),
        (
            "from collections import namedtuple\nnamedtuple('N', 'a')(1)",
            json!({ "NamedTuple": { "type_name": "N", "field_names": ["a"], "values": [{ "Int": 1 }] } }),
        ),
        (
            "import datetime\ndatetime.date(2024, 2, 29)",
            json!({ "Date": { "year": 2024, "month": 2, "day": 29 } }),
        ),
        (
            "import datetime\ndatetime.timedelta(-1, 2, 3)",
            json!({ "TimeDelta": { "days": -1, "seconds": 2, "microseconds": 3 } }),
        ),
        (
            "import decimal\ndecimal.Decimal('1.20')",
            json!({ "Decimal": "1.20" }),
        ),
        ("from pathlib import Path\nPath('/a')", json!({ "Path": "/a" })),
        (
            "ValueError('x')",
            json!({ "Exception": { "exc_type": "ValueError", "arg": "x" } }),
        ),
        ("int", json!({ "Type": "Int" })),
        ("ValueError", json!({ "Type": "ValueError" })),
        ("len", json!({ "BuiltinFunction": "len" })),
        (
            "http_request",
            json!({ "Function": { "name": "http_request", "docstring": null } }),
        ),
    ];
    for (code, expected) in values {
        let typed = json!({ "form": "typed" });
        let left = value_of(&ask(&mut Bridge::default(), run_with(code, typed)));
        assert_eq!(left, expected, "{code}");
        let inputs = json!({ "form": "typed", "inputs": { "x": expected } });
        let back = value_of(&ask(&mut Bridge::default(), run_with("x", inputs)));
        assert_eq!(back, expected, "{code} comes back");
    }
}

#[test]
fn plain_json_is_taken_where_no_tag_says_more() {
    let inputs = json!({
        "form": "typed",
        "inputs": { "x": [null, true, 1, 1.5, "a", { "a": 1 }, { "Int": "9007199254740993" }, {}] },
    });
    let code = "repr(x)";
    let text = value_of(&ask(&mut Bridge::default(), run_with(code, inputs)));
    assert_eq!(
        text["String"],
        "[None, True, 1, 1.5, 'a', {'a': 1}, 9007199254740993, {}]"
    );
    let inputs = json!({ "inputs": { "x": { "Int": 1 }, "y": "None" } });
    let plain = value_of(&ask(&mut Bridge::default(), run_with("repr([x, y])", inputs)));
    assert_eq!(plain, "[{'Int': 1}, 'None']");
}

#[test]
fn a_wrong_input_names_its_variable_and_runs_nothing() {
    for (value, words) in [
        (json!({ "Int": 1.5 }), "Int is 1.5"),
        (json!({ "Int": [] }), "a whole number"),
        (json!({ "Bytes": [256] }), "Bytes has 256"),
        (json!({ "Float": "x" }), "Float is x"),
        (json!({ "Dict": [[1]] }), "a list of pairs"),
        (json!({ "Date": { "year": 1 } }), "Date: "),
        (json!({ "Type": "Nothing" }), "Type is Nothing"),
    ] {
        let mut bridge = Bridge::default();
        let inputs = json!({ "form": "typed", "inputs": { "v": value } });
        let reply = ask(&mut bridge, run_with("v", inputs));
        assert_eq!(reply["type"], "wrong", "{reply}");
        let reason = reply["reason"].as_str().unwrap();
        assert!(reason.contains("the input v") && reason.contains(words), "{reason}");
        assert_eq!(value_of(&ask(&mut bridge, run_with("1", json!({})))), 1);
    }
}

#[test]
fn a_value_that_is_nested_too_deep_is_refused_and_a_marker_stands_for_it() {
    // Such a value takes as many frames to drop: in a thread with room.
    let refused = std::thread::Builder::new().stack_size(1 << 28).spawn(|| {
        let deep = (0..10_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
        let mut request = run_with("1", json!({}));
        request["inputs"] = Value::Object([("x".to_owned(), deep)].into_iter().collect());
        ask(&mut Bridge::default(), request)["reason"].to_string()
    });
    let reason = refused.unwrap().join().unwrap();
    assert!(reason.contains("nested more than"), "{reason}");
    let code = "x = []\nfor i in range(300): x = [x]\nx";
    for form in ["plain", "typed"] {
        let reply = ask(&mut Bridge::default(), run_with(code, json!({ "form": form })));
        assert!(reply["value"].as_str().unwrap().contains("<too deep>"));
    }
    assert!(run("x = []\nx.append(x)\nx")["value"].as_str().unwrap().contains("<cycle>"));
}

#[test]
fn a_value_is_cut_soon_after_its_room() {
    for (code, form, marker) in [
        ("list(range(100000))", "plain", "more>\""),
        ("list(range(100000))", "typed", "more>"),
        ("{i: i for i in range(100000)}", "plain", "<cut>"),
        ("{i: i for i in range(100000)}", "typed", "<cut>"),
        ("'x' * 100000", "plain", "<99,000 more characters>"),
        ("['y' * 1000] * 1000", "typed", "more>"),
        ("b'z' * 100000", "typed", "122"),
        ("2 ** 1000000", "plain", "<an integer of 1,000,001 bits>"),
    ] {
        let reply = ask(&mut Bridge::default(), run_with(code, json!({ "form": form, "room": 1000 })));
        let value = reply["value"].as_str().unwrap_or_else(|| panic!("{code} {reply}"));
        assert!(value.len() < 3000 && value.contains(marker), "{code}: {value}");
        serde_json::from_str::<Value>(value).unwrap();
    }
}

#[test]
fn keys_that_print_the_same_keep_their_values_apart() {
    let value = value_of(&run("{1: 'a', '1': 'b', (1, 2): 'c', None: 'd'}"));
    assert_eq!(value, json!({ "1": "a", "1 (2)": "b", "(1, 2)": "c", "null": "d" }));
}

#[test]
fn a_call_of_the_host_waits_for_its_answer() {
    let code = "f = http_request\n[f('http://x', method='GET', body=b'1'), f('y')]";
    let mut bridge = Bridge::default();
    let call = ask(&mut bridge, run_with(code, json!({})));
    assert_eq!(
        [&call["type"], &call["name"], &call["args"], &call["kwargs"]],
        [
            &json!("call"),
            &json!("http_request"),
            &json!(["http://x"]),
            &json!({ "method": "GET", "body": { "Bytes": "MQ==" } })
        ]
    );
    let answer = json!({ "type": "answer", "answer": { "value": { "Tuple": [200, { "String": "None" }] } } });
    assert_eq!(ask(&mut bridge, answer)["args"], json!(["y"]));
    let answer = json!({ "type": "answer", "answer": { "value": { "Bytes": "AP8=" } } });
    assert_eq!(value_of(&ask(&mut bridge, answer)), json!([[200, "None"], { "base64": "AP8=" }]));
}

#[test]
fn an_error_of_the_host_is_an_exception_that_code_can_catch() {
    let code = "try:\n  open('a')\nexcept FileNotFoundError as e:\n  x = str(e)\nx";
    let mut bridge = Bridge::default();
    let call = ask(&mut bridge, run_with(code, json!({})));
    assert_eq!(call["args"], json!(["/workspace/a", "r"]));
    let error = json!({ "type": "FileNotFoundError", "message": "[Errno 2] no" });
    let answer = json!({ "type": "answer", "answer": { "error": error } });
    assert_eq!(value_of(&ask(&mut bridge, answer)), "[Errno 2] no");
}

#[test]
fn a_run_that_waits_can_be_ended_and_its_code_cannot_catch_that() {
    let code = "x = 3\ntry:\n  http_request('a')\nexcept BaseException:\n  x = 4";
    let mut bridge = Bridge::default();
    ask(&mut bridge, run_with(code, json!({})));
    let error = json!({ "type": "KeyboardInterrupt", "message": "" });
    let ended = ask(&mut bridge, json!({ "type": "abort", "error": error }));
    assert_eq!(ended["error"]["type"], "KeyboardInterrupt");
    assert_eq!(value_of(&ask(&mut bridge, run_with("x", json!({})))), 3);
}

#[test]
fn sleeps_are_awaited_together() {
    let code = "import asyncio\nasync def f(n):\n  await asyncio.sleep(n)\n  return n\nawait asyncio.gather(f(1), f(2))";
    let mut bridge = Bridge::default();
    let pending = json!({ "type": "answer", "answer": "pending" });
    let first = ask(&mut bridge, run_with(code, json!({})));
    assert_eq!([&first["name"], &first["mayWait"]], [&json!("asyncio.sleep"), &json!(true)]);
    let second = ask(&mut bridge, pending.clone());
    let waits = ask(&mut bridge, pending);
    assert_eq!(waits["ids"], json!([first["id"], second["id"]]));
    let done = |id: &Value| json!({ "type": "answers", "answers": [[id, { "value": "None" }]] });
    assert_eq!(ask(&mut bridge, done(&second["id"]))["ids"], json!([first["id"]]));
    assert_eq!(value_of(&ask(&mut bridge, done(&first["id"]))), json!([1, 2]));
}

#[test]
fn the_environment_is_what_the_host_gave() {
    assert_eq!(
        value_of(&run("import os\n[os.getenv('A'), os.getenv('B'), os.environ['A']]")),
        json!(["1", null, "1"])
    );
}

#[test]
fn each_limit_names_itself() {
    let limits = |name: &str, value: Value| {
        let mut limits = json!({ "maxDurationMs": 60_000.0, "maxMemoryBytes": 1 << 26 });
        limits[name] = value;
        json!({ "limits": limits })
    };
    for (code, name, most, limit) in [
        ("while True: pass", "maxDurationMs", json!(20.0), json!("time")),
        ("x = [str(i) for i in range(10**7)]", "maxMemoryBytes", json!(1 << 20), json!("memory")),
        ("x = [[i] for i in range(10**5)]", "maxAllocations", json!(5000), json!("allocations")),
        ("def f(): f()\nf()", "maxRecursionDepth", json!(50), Value::Null),
    ] {
        let mut bridge = Bridge::default();
        let reply = ask(&mut bridge, run_with(code, limits(name, most)));
        assert_eq!(reply["error"]["limit"], limit, "{reply}");
        assert_eq!(value_of(&ask(&mut bridge, run_with("1", json!({})))), 1);
    }
    let caught = "try:\n  while True: pass\nexcept BaseException: pass\n1";
    let reply = ask(&mut Bridge::default(), run_with(caught, limits("maxDurationMs", json!(20.0))));
    assert_eq!(reply["error"]["limit"], "time");
}

#[test]
fn waiting_for_the_host_is_not_time_of_the_run() {
    let mut bridge = Bridge::default();
    let limits = json!({ "maxDurationMs": 200.0, "maxMemoryBytes": 1 << 26 });
    ask(&mut bridge, run_with("http_request('a')\n1", json!({ "limits": limits })));
    std::thread::sleep(std::time::Duration::from_millis(400));
    let answer = json!({ "type": "answer", "answer": { "value": "None" } });
    assert_eq!(value_of(&ask(&mut bridge, answer)), 1);
}

#[test]
fn a_run_that_waits_goes_on_in_another_interpreter() {
    let code = "x = [1, 2]\ndef f(): return sum(x) + http_request('a')\nf()";
    let mut bridge = Bridge::default();
    ask(&mut bridge, run_with(code, json!({})));
    let dump = bridge.dump().unwrap();
    drop(bridge);
    let mut other = Bridge::load(&dump).unwrap();
    let answer = json!({ "type": "answer", "answer": { "value": 4 } });
    assert_eq!(value_of(&ask(&mut other, answer)), 7);
    assert_eq!(value_of(&ask(&mut other, run_with("x", json!({})))), json!([1, 2]));
    let dumped = |code: &str| {
        let limits = json!({ "maxDurationMs": 60_000.0, "maxMemoryBytes": 1 << 26, "maxAllocations": 20_000 });
        let mut bridge = Bridge::default();
        ask(&mut bridge, run_with(code, json!({ "limits": limits })));
        bridge.dump().unwrap()
    };
    // Its limits hold there, too.
    let limited = dumped("http_request('a')\nx = [[i] for i in range(10**5)]");
    let answer = json!({ "type": "answer", "answer": { "value": 4 } });
    let reply = ask(&mut Bridge::load(&limited).unwrap(), answer);
    assert_eq!(reply["error"]["limit"], "allocations", "{reply}");
    for bytes in [&dump[..3], &dump[..30], b"\xff\xff\xff\xff".as_slice(), b""] {
        assert!(Bridge::load(bytes).is_err());
    }
}

#[test]
fn a_request_out_of_turn_changes_nothing() {
    let mut bridge = Bridge::default();
    let answer = json!({ "type": "answer", "answer": { "value": 4 } });
    assert_eq!(ask(&mut bridge, answer)["type"], "wrong");
    ask(&mut bridge, run_with("http_request('a')", json!({})));
    assert_eq!(ask(&mut bridge, run_with("1", json!({})))["type"], "wrong");
    let answer = json!({ "type": "answer", "answer": { "value": 4 } });
    assert_eq!(value_of(&ask(&mut bridge, answer)), 4);
}

#[test]
fn a_prompt_shows_values_as_python_does_and_knows_when_a_statement_is_whole() {
    let shown = |code: &str| value_of(&ask(&mut Bridge::default(), run_with(code, json!({ "form": "shown" }))));
    assert_eq!(shown("'a'"), "'a'");
    assert_eq!(shown("None"), Value::Null);
    assert_eq!(shown("(1, [2])"), "(1, [2])");
    let texts = [
        ("1", true),
        ("1 + + )", true),
        ("f(", false),
        ("for i in x:", false),
        ("for i in x:\n  i", false),
        ("for i in x:\n  i\n", true),
        ("'''a", false),
    ];
    for (text, expected) in texts {
        let reply = ask(&mut Bridge::default(), json!({ "type": "isComplete", "text": text }));
        assert_eq!(reply["isComplete"], expected, "{text}");
    }
}
