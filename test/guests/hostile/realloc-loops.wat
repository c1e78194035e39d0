;; The allocator for arguments never ends.
(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (loop $l (br $l)) unreachable)
    (func (export "run") (param i32 i32))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (param "text" string)
    (canon lift (core func $i "run") (memory $i "memory") (realloc (func $i "realloc"))))
)
