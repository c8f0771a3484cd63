import { writeFileSync } from "node:fs"
import { landFiles } from "./land.ts"

for (const [name, svg] of Object.entries(landFiles()))
  writeFileSync(new URL(`../../api/pages/assets/${name}`, import.meta.url), svg)
