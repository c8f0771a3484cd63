import { endpointName } from "./envelope.ts"

/** The name of an endpoint of data in the address of its page: its name in replies, with dashes for slashes. */
export const feedPageName = (endpoint: { readonly path: string }): string => endpointName(endpoint).replaceAll("/", "-")

/** The address of the page of an endpoint of data. */
export const feedPagePath = (endpoint: { readonly path: string }): string => `/feeds/${feedPageName(endpoint)}`
