export {
  type Answer,
  type Clock,
  type ClockChange,
  type Fault,
  type FaultKind,
  type FeedItem,
  type RequestedDocument,
  StartedTidewireContainer,
} from "./started-tidewire-container.ts"
export { IMAGE, TidewireContainer } from "./tidewire-container.ts"
