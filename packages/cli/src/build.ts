/** Identifies the build in `GET /`. A release replaces it by the commit that it was made of. */
export const BUILD_COMMIT = 'unknown'
