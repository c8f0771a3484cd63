export { type Fault, type FaultKind, StartedTidewireContainer } from "./started-tidewire-container.ts"
export { IMAGE, TidewireContainer } from "./tidewire-container.ts"
