;; It asks WASI for 4 GiB of random bytes.
(component
  (import "wasi:random/random@0.2.0" (instance $wasi
    (export "get-random-bytes" (func (param "len" u64) (result (list u8))))))
  (core module $libc
    (memory (export "memory") 1)
    (data (i32.const 8) "\10\00\00\00\02\00\00\00ok")
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
  )
  (core instance $libc (instantiate $libc))
  (core func $lowered (canon lower (func $wasi "get-random-bytes") (memory $libc "memory") (realloc (func $libc "realloc"))))
  (core module $m
    (import "wasi" "call" (func $call (param i64 i32)))
    (func (export "run") (result i32)
      (call $call (i64.const 4294967296) (i32.const 64))
      (i32.const 8))
  )
  (core instance $i (instantiate $m (with "wasi" (instance (export "call" (func $lowered))))))
  (func (export "run") (result string)
    (canon lift (core func $i "run") (memory $libc "memory")))
)
