using Harbor.Ships;

namespace Web.Pages.Parts
{
    public class Ship { public IVessel Vessel => null; Ship Other => this; }
}
