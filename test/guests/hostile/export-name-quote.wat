;; An exported function whose name is not a name of WIT: it has quotes.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func (export "'];globalThis.pwned=1;['") (result u32) (canon lift (core func $i "f")))
)
