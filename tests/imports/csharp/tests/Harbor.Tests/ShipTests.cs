using Harbor.Ships;
using Harbor.Docks;
using Xunit;

namespace Harbor.Tests;

public class ShipTests
{
    [Fact]
    public void Floats() { var ship = new Ship(); Crane crane = null; Assert.NotNull(ship.Manifest()); }
}
