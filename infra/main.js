import { bootProcess } from "./boot.js"

await bootProcess()
const { start } = await import("./start.ts")
await start()
