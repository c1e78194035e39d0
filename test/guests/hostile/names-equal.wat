;; Two functions whose names are one in camelCase and in snake_case.
(component
  (core module $m (func (export "f") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func $f (result u32) (canon lift (core func $i "f")))
  (instance $x (export "b" (func $f)))
  (instance $y (export "b" (func $f)))
  (export "p:a/x-y" (instance $x))
  (export "q:a/x-y" (instance $y))
  (export "a-b" (func $f))
  (export "a-B" (func $f))
)
