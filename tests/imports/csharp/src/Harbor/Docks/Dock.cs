using Harbor.Cargo;
using Harbor.Ships;
using Harbor.Nowhere;

#region Don't read this
namespace Harbor.Docks
{
    public class Dock
    {
        public void Use(string text) { if (Kind.Dry == default) { Stamper<int> stamper = null; } }
    }

    public class Crane { }
}
#endregion
