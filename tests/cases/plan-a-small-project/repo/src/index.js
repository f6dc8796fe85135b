import { routes } from "./api/routes.js";
