import { useMemo } from "preact/hooks"
import { encode } from "uqr"
import { html } from "./view.js"

/** Modules of white around the code, without which cameras do not find it. */
const BORDER = 4

/** @param {string} text */
const pathOf = (text) => {
  const { data, size } = encode(text, { border: BORDER, ecc: "M" })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return { path, size }
}

/**
 * A QR code: dark on white in both colour schemes, as cameras expect it.
 * @param {{readonly text: string, readonly label: string}} props
 */
export const QrCode = ({ text, label }) => {
  const { path, size } = useMemo(() => pathOf(text), [text])
  return html`<svg class="qr" role="img" aria-label=${label} viewBox=${`0 0 ${size} ${size}`} shape-rendering="crispEdges">
    <path fill="#fff" d=${`M0 0h${size}v${size}H0z`} />
    <path fill="#000" d=${path} />
  </svg>`
}
