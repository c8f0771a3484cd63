/** The bytes of a text in base64url; null where it is none, or has stray bits at its end. */
export declare const bytesOfBase64url: (text: string) => Uint8Array<ArrayBuffer> | null;
