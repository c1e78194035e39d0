;; Functions with names that strict code cannot define.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func (export "eval") (result u32) (canon lift (core func $i "f")))
  (func (export "arguments") (result u32) (canon lift (core func $i "f")))
)
