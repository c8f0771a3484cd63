const BASE64URL = /^[A-Za-z0-9_-]*$/;
/** The text of bytes in base64url, without padding. */
const encoded = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
/** The bytes of a text in base64url; null where it is none, or has stray bits at its end. */
export const bytesOfBase64url = (text) => {
    if (!BASE64URL.test(text) || text.length % 4 === 1)
        return null;
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return encoded(bytes) === text ? bytes : null;
};
