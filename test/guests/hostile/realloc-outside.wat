;; The allocator for arguments gives a place outside of the memory.
(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0xffffff00))
    (func (export "run") (param i32 i32))
  )
  (core instance $i (instantiate $m))
  (func (export "run") (param "text" string)
    (canon lift (core func $i "run") (memory $i "memory") (realloc (func $i "realloc"))))
)
