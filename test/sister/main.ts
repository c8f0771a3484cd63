import { startSister } from "./sister.ts"

// A sister service in a process of its own; its argument is a `SisterSpec` as JSON.
await startSister(JSON.parse(process.argv[2] ?? ""))
