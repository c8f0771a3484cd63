import ipaddr from "ipaddr.js"

/** How an IPv4 address may be written down: as text, in other spellings, bases and orders, and as text that encodes it. */
const spellingsOf = (address: string): ReadonlyArray<Buffer> => {
  const bytes = Buffer.from(ipaddr.IPv4.parse(address).toByteArray())
  const hex = bytes.toString("hex")
  const parts = address.split(".")
  const texts = [
    address,
    parts.join("-"),
    parts.join("_"),
    parts.join("%2E"),
    parts.join("[.]"),
    parts.join("\\u002e"),
    parts.toReversed().join("."),
    String(bytes.readUInt32BE(0)),
    hex,
    hex.toUpperCase(),
    bytes.toString("base64").replaceAll("=", ""),
    bytes.toString("base64url"),
    Buffer.from(address).toString("hex"),
    // Each of the three ways in which the text can stand within base64.
    ...["", "x", "xx"].map((before) => {
      const encoded = Buffer.from(`${before}${address}`).toString("base64").replaceAll("=", "")
      return encoded.slice(before === "" ? 0 : 4, -2)
    }),
  ]
  return [...texts.map((text) => Buffer.from(text)), Buffer.from(address, "utf16le")]
}

/** The spellings of an address that stand in some bytes. */
export const tracesOf = (address: string, bytes: Uint8Array): ReadonlyArray<string> => {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return spellingsOf(address)
    .filter((spelling) => searched.includes(spelling))
    .map(String)
}
