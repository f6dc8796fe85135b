export const routes = ["/pets"];
