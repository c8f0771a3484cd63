/** The full stop, and the characters that browsers read as one in a host. */
const DOTS = /[.\u3002\uff0e\uff61]/g
/** An IPv6 address in brackets. */
const BRACKETED = /\[[0-9a-f:.%]+\]/gi
/** `http` and `https` where a scheme ends with them, encoded ones included. */
const WEB_SCHEME = /(h)tt(ps?)(?=:|%3a)/gi
/** The end of any other scheme, with slashes of either kind behind it. */
const OTHER_SCHEME = /(?<!hxxps?):(?=[\\/]{2})/gi

/**
 * Changes a malicious address so that no program opens it and a person still reads it: `hxxp` for `http`, `[:]` for the
 * colon of other schemes and of IPv6 addresses, and `[.]` for every dot.
 */
export const defang = (text: string): string =>
  text
    .replace(BRACKETED, (address) => address.replaceAll(":", "[:]"))
    .replace(WEB_SCHEME, "$1xx$2")
    .replace(OTHER_SCHEME, "[:]")
    .replace(DOTS, "[.]")
