;; Interfaces whose names look like those of WASI.
(component
  (import "wasi:filesystem-evil/types@0.2.0" (instance $a))
  (import "wasi:cli/run-shell@0.2.0" (instance $b
    (export "run" (func (param "command" string)))))
  (import "wasi-evil:io/streams@0.2.0" (instance $c))
  (core module $m
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func $run (export "run") (result i32)
      (i32.const 8))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $i "memory")))
)
