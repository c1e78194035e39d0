;; It imports an interface that is not of WASI.
(component
  (import "evil:host/secrets@1.0.0" (instance $secrets
    (export "read-secret" (func (param "name" string) (result string)))))
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
