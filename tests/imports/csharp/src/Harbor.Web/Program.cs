using Harbor.Ships;
using Harbor.Cargo;
using Harbor.Common;
using Web.Pages;

var ship = new Ship();
Kind kind = Kind.Wet;
app.MapGet("/", () => Guard.NotNull(new Index { Ship = ship }));
