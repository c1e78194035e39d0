;; Custom sections that tools read, with lengths that lie.
(component
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func (export "run") (result i32) (i32.const 8))
    (@custom "name" "\ff\ff\ff\ff\0f")
    (@custom "producers" "\ff\ff\ff\ff\0f")
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
  (@custom "component-name" "\00\ff\ff\ff\ff\0f")
  (@custom "producers" "\ff\ff\ff\ff\0f")
)
