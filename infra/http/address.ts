/** Redirects that are followed at most. */
export const REDIRECTS_MAX = 3

/** Where a request for a provider's real address is sent. */
export type Locate = (url: URL) => URL

const below = (base: string, host: string, { pathname, search }: URL): URL => {
  const located = new URL(base)
  located.pathname = `${located.pathname.replace(/\/+$/, "")}${host}${pathname}`
  located.search = search
  return located
}

/**
 * Makes the rule by which requests are sent elsewhere: `baseUrls` overrides single hosts, `upstreams` sends all others to
 * `<upstreams>/<host>/<path>`; with neither they go where they say.
 */
export const makeLocate =
  (upstreams: string | null, baseUrls: ReadonlyMap<string, string>): Locate =>
  (url) => {
    const base = baseUrls.get(url.host)
    if (base !== undefined) return below(base, "", url)
    return upstreams === null ? url : below(upstreams, `/${url.host}`, url)
  }

/**
 * The provider's address that a redirect of `from` leads to, or null where it must not be followed: another host, or away
 * from https. Addresses are the provider's own, before they are sent elsewhere.
 */
export const redirectTarget = (from: URL, location: string | undefined): URL | null => {
  const to = location === undefined ? null : URL.parse(location, from.href)
  if (to === null || to.username !== "" || to.password !== "") return null
  if (to.protocol === from.protocol) return to.host === from.host ? to : null
  // Ports differ with the scheme; both have to be the scheme's own.
  const upgraded = from.protocol === "http:" && to.protocol === "https:"
  return upgraded && to.hostname === from.hostname && to.port === "" && from.port === "" ? to : null
}
