;; A function named `then`: a module with it is taken for a promise, which never settles.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func (export "then") (result u32) (canon lift (core func $i "f")))
  (func (export "run") (result u32) (canon lift (core func $i "f")))
)
