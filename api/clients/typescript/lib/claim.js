const KEY_BYTES = 32;
/** A new claim key, drawn at random. */
export const newClaimKey = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    return `tw_claim_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
};
