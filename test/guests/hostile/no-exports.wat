;; A component that exports nothing.
(component
  (core module $m (func (export "f")))
)
