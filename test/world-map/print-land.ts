import { landSvg } from "./land.ts"

process.stdout.write(landSvg())
