/** The parameters of a request, as the texts that are sent. */
export const queryOf = (parameters = {}) => Object.fromEntries(Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
