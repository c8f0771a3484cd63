/** The subjects by which people look for data, in the order of pages and catalogues. */
export const subjects = {
  earth: "Earth and weather",
  space: "Space",
  markets: "Markets and economy",
  infrastructure: "Infrastructure and security",
  technology: "Technology and play",
  world: "The world in brief",
  service: "This service",
} as const

/** The name of a subject. */
export type Subject = keyof typeof subjects

/** The names of all subjects, in their order. */
export const subjectNames = Object.keys(subjects) as ReadonlyArray<Subject>
