export function watchFiles() {
  return { tell() {} };
}
