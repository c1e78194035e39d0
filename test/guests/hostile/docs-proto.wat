;; Docs with the prototype of objects as a key.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func (export "run") (result i32) (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
  (@custom "package-docs" "\01{\22__proto__\22: {\22worlds\22: 1}, \22worlds\22: {\22__proto__\22: {\22docs\22: \22x\22}}}")
)
