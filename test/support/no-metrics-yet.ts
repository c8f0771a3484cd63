import { register } from "prom-client"

// Test files that share a process share its registry of metrics too, and each loads the modules that register some.
register.clear()
