;; Functions with names that the glue of jco 0.15.0 uses.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func (export "exports0") (result u32) (canon lift (core func $i "f")))
  (func (export "memory0") (result u32) (canon lift (core func $i "f")))
)
