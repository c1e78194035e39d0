;; An exported function whose name is not a name of WIT: it has a line end.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func (export "\0aglobalThis.pwned=1;//") (result u32) (canon lift (core func $i "f")))
)
