import { bootProcess } from "../../../infra/boot.js"
import { setClock } from "./simulated-date.js"

// The entry point of the demo's service: that of `npm start`, by the clock of the world.
setClock(JSON.parse(process.env.WORLD_CLOCK_STATE ?? '{"frozen":false,"ms":0}'))
await bootProcess()
const { processTime } = await import("./process-time.ts")
const time = processTime()
const { start } = await import("../../../infra/start.ts")
await start(time)
