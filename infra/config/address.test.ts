import { expect, it } from "vitest"
import { localUrl } from "./address.ts"

it.each([
  ["127.0.0.1", "http://127.0.0.1:8787"],
  ["api.internal", "http://api.internal:8787"],
  ["::1", "http://[::1]:8787"],
  ["0.0.0.0", "http://127.0.0.1:8787"],
  ["::", "http://127.0.0.1:8787"],
])("a server that listens on %s is reached at %s", (host, url) => {
  expect(localUrl(host, 8787)).toBe(url)
})
