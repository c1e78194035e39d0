;; A function that the interface of WASI does not have.
(component
  (import "wasi:cli/environment@0.2.0" (instance $wasi
    (export "become-root" (func (result string)))))
  (core module $libc
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  )
  (core instance $libc (instantiate $libc))
  (core func $lowered (canon lower (func $wasi "become-root") (memory $libc "memory") (realloc (func $libc "realloc"))))
  (core module $m
    (import "wasi" "call" (func $call (param i32)))
    (func (export "run") (result i32)
      (call $call (i32.const 64))
      (i32.const 8))
  )
  (core instance $i (instantiate $m (with "wasi" (instance (export "call" (func $lowered))))))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $libc "memory")))
)
