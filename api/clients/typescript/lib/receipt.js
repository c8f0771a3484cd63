import { bytesOfBase64url } from "./base64url.js";
import { canonicalSha256 } from "./canonical.js";
import { isObject } from "./json.js";
const JWS_CHARACTERS_MAX = 4_096;
const ALGORITHM = "EdDSA";
const TYPE = "tidewire-receipt+jws";
const refused = (problem) => ({ valid: false, problem, payload: null });
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const jsonOf = (bytes) => {
    try {
        return JSON.parse(utf8.decode(bytes));
    }
    catch {
        return null;
    }
};
const isText = (value) => typeof value === "string" && value !== "";
const isCount = (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isEntry = (value) => isObject(value) && isCount(value.account_sequence) && isText(value.entry_sha256);
const isPayload = (value) => isObject(value) &&
    value.v === 1 &&
    [value.iss, value.jti, value.time, value.endpoint, value.request_sha256, value.response_sha256].every(isText) &&
    isCount(value.credits) &&
    (value.reason === null || isText(value.reason)) &&
    (value.ledger === null || isEntry(value.ledger));
/** The key of a header; null where it is not the header of a receipt, which has three members and no others. */
const keyIdOf = (header) => isObject(header) &&
    Object.keys(header).length === 3 &&
    header.alg === ALGORITHM &&
    header.typ === TYPE &&
    isText(header.kid)
    ? header.kid
    : null;
const publicKey = async ({ keys }, kid) => {
    const found = keys.find((key) => key.kid === kid && key.kty === "OKP" && key.crv === "Ed25519");
    const bytes = typeof found?.x === "string" ? bytesOfBase64url(found.x) : null;
    return bytes === null || bytes.length !== 32
        ? null
        : crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
};
const sentReceipt = (reply) => isObject(reply) && isObject(reply.receipt) && isText(reply.receipt.id) && isText(reply.receipt.jws)
    ? { id: reply.receipt.id, jws: reply.receipt.jws }
    : null;
/** Verifies the signature of a receipt alone: a compact JWS. */
const verifySignature = async (jws, keys) => {
    const parts = jws.length > JWS_CHARACTERS_MAX ? [] : jws.split(".");
    const [header, payload, signature] = parts.map(bytesOfBase64url);
    if (parts.length !== 3 || !header || !payload || !signature)
        return refused("malformed");
    const kid = keyIdOf(jsonOf(header));
    if (kid === null)
        return refused("malformed");
    const key = await publicKey(keys, kid);
    if (key === null)
        return refused("unknown_key");
    const signed = new TextEncoder().encode(jws.slice(0, jws.lastIndexOf(".")));
    if (!(await crypto.subtle.verify("Ed25519", key, signature, signed)))
        return refused("wrong_signature");
    const stated = jsonOf(payload);
    return isPayload(stated) ? { valid: true, problem: null, payload: stated } : refused("malformed");
};
/**
 * Verifies a premium reply and its receipt offline: the signature, that the reply is the signed one, and, where `request` is
 * given, that it was signed for that request. Pin `keys`, or fetch them over https from the service itself.
 */
export const verifyReceipt = async (options) => {
    const { reply, keys, request } = options;
    const sent = sentReceipt(reply);
    if (sent === null || !isObject(reply))
        return refused("malformed");
    const verdict = await verifySignature(sent.jws, keys);
    if (!verdict.valid)
        return verdict;
    const { receipt: _, ...body } = reply;
    const bodySha256 = await canonicalSha256(body).catch(() => null);
    if (bodySha256 !== verdict.payload.response_sha256)
        return refused("body_differs");
    if (sent.id !== verdict.payload.jti)
        return refused("id_differs");
    if (request === undefined)
        return verdict;
    const { method, path, query } = request;
    const requestSha256 = await canonicalSha256({ method: method.toUpperCase(), path, query });
    return requestSha256 === verdict.payload.request_sha256 ? verdict : refused("request_differs");
};
