/** The printed address holds a token, which the cookie stands for from now on: neither the history nor a copied address has it. */
export function forgetToken(): void {
  const place = new URL(location.href);
  if (!place.searchParams.has("token")) return;
  place.searchParams.delete("token");
  history.replaceState(null, "", place.pathname + place.search + place.hash);
}
