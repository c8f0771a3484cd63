import { UnreadableReplyError } from "./errors.js";
import { queryOf } from "./sent.js";
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]*\+)?json$/;
/** Makes the request of a call. `token` is sent only where the operation takes one. Throws a `TypeError` for a key or token that no header can hold. */
export const prepareRequest = (baseUrl, operation, { parameters, body }, { token, idempotencyKey }) => {
    const query = queryOf(parameters);
    const search = new URLSearchParams(query).toString();
    const headers = new Headers({ accept: operation.accept });
    if (token !== undefined && operation.bearer !== "none")
        headers.set("authorization", `Bearer ${token}`);
    if (idempotencyKey !== null)
        headers.set("idempotency-key", idempotencyKey);
    if (body !== undefined)
        headers.set("content-type", "application/json");
    return {
        url: `${baseUrl}${operation.path}${search === "" ? "" : `?${search}`}`,
        // A redirect would send the token to another address than the configured one.
        init: {
            method: operation.method,
            headers,
            redirect: "error",
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        query,
    };
};
const readText = async (response, bytesMax, call) => {
    if (response.body === null)
        return "";
    const reader = response.body.getReader();
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const texts = [];
    let bytes = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            return `${texts.join("")}${decoder.decode()}`;
        bytes += value.length;
        if (bytes > bytesMax) {
            await reader.cancel();
            throw new UnreadableReplyError(`the reply is larger than ${bytesMax} bytes`, call);
        }
        texts.push(decoder.decode(value, { stream: true }));
    }
};
const decoded = (response, text, call) => {
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (text === "")
        return null;
    if (!JSON_TYPE.test(mediaType))
        return text;
    try {
        return JSON.parse(text);
    }
    catch (cause) {
        throw new UnreadableReplyError(`status ${response.status} with a body that is not JSON`, call, cause);
    }
};
/** Sends a request once, and reads the whole response. */
export const attempt = async ({ url, init }, options) => {
    const { fetch: send, deadline, bodyBytesMax, call } = options;
    const response = await send(url, { ...init, signal: deadline.signal });
    const body = decoded(response, await readText(response, bodyBytesMax, call), call);
    return { status: response.status, headers: response.headers, body };
};
